import { type StaticDecode, type TSchema, Type } from "@sinclair/typebox";
import { ServiceError } from "../../domain/change/errors.js";
import { refuseIgnored } from "../ignored.js";
import { problemOf } from "../problem.js";
import { decoder } from "../validation.js";
import { type OwnApi, ToolError } from "./own-api.js";

export type Answer = Record<string, unknown>;

type OutputType = "array" | "object" | "string" | "integer";

/** A tool with its arguments, and its result from the API. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: TSchema;
  /** Members of every result, with their types. */
  output: Readonly<Record<string, OutputType>>;
  /** @throws ToolError */
  answer(given: unknown, api: OwnApi): Promise<Answer>;
}

/** Declares a tool whose arguments are validated before it runs. */
export function tool<S extends TSchema>(declared: {
  name: string;
  title: string;
  description: string;
  input: S;
  output: Tool["output"];
  answer(given: StaticDecode<S>, api: OwnApi): Promise<Answer>;
}): Tool {
  const { name, title, description, input, output, answer } = declared;
  const read = decoder(input);
  return {
    ...{ name, title, description, output },
    inputSchema: input,
    async answer(given = {}, api) {
      try {
        refuseIgnored({ schema: undefined, given: {} }, { schema: input, given });
        return await answer(read(given), api);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        throw new ToolError("invalid_arguments", problemOf(400, error.code, error.body).detail);
      }
    },
  };
}

const id = (description: string) =>
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description });

/** Arguments shared by several tools. */
export const Given = {
  squad: () => id("Id of a squad from list_squads"),
  session: () => id("Id of a session from list_sessions"),
  device: () => id("Id of a device from list_devices"),
  text: (description: string) => Type.String({ maxLength: 200, description }),
  time: (description: string) =>
    Type.String({ maxLength: 40, description: `${description}, such as 2026-05-16T13:00:00Z` }),
};
