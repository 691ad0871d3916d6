import { ApiError } from "asi-client";
import { describe, expect, it } from "vitest";
import { FormProblem, fieldSentences, refusalWords, sentenceOf } from "../src/app/parts/refusal-words.js";

const refusal = (body: unknown, status = 400, code = "invalid") =>
  new ApiError(new Response(null, { status, headers: { "X-Error-Code": code } }), body);

const LABELS: Record<string, string> = {
  start_time: "From",
  expiration_time: "Until",
  username: "Username",
  "athlete_profile.height": "Height, cm",
};
const labelOf = (name: string) => LABELS[name];

describe("a refusal of the service", () => {
  it("becomes a sentence about the form, shown at its field", () => {
    const body = {
      expiration_time: ["Must be after start_time."],
      athlete_profile: { height: ["Ensure this value is greater than 0."] },
      username: ["This value is already taken."],
    };
    expect(Object.fromEntries(fieldSentences(refusal(body), labelOf))).toEqual({
      expiration_time: "Until must be later than From.",
      "athlete_profile.height": "Height must be more than 0.",
      username: "Username is already taken. Choose another.",
    });
  });

  it("is shown once if a form has sent a list", () => {
    const wrong = { expiration_time: ["Must be after start_time."] };
    expect([...fieldSentences(refusal({ 0: wrong, 1: wrong }), labelOf)]).toEqual([
      ["expiration_time", "Until must be later than From."],
    ]);
  });

  it("contains no path if the form has no such field", () => {
    const link = "The link is wrong, has been used, or has expired. Ask for a new one.";
    const picture = "Expected base64 of a JPEG, PNG or WebP image of at most 2 MiB.";
    expect(refusalWords(refusal({ token: [link] }))).toBe(link);
    expect(refusalWords(refusal({ athlete_profile: { profile_picture: [picture] } }))).toBe(
      "The picture must be a JPEG, PNG or WebP image of at most 2 MiB.",
    );
    expect(refusalWords(refusal({ 0: { expiration_time: ["Must be after start_time."] } }))).toBe(
      "Expiration time must be later than Start time.",
    );
    expect(refusalWords(refusal({ non_field_errors: ["Both pairings have the same address."] }))).toBe(
      "Both pairings have the same address.",
    );
  });

  it("says what was not found or not allowed", () => {
    expect(refusalWords(refusal({ detail: "Not found." }, 404, "not_found"))).toBe(
      "It does not exist, or you cannot see it. It may have been deleted.",
    );
    const denied = { detail: "You do not have permission to perform this action." };
    expect(refusalWords(refusal(denied, 403, "permission_denied"))).toBe(
      "Your account does not have the right to do this.",
    );
    const throttled = { detail: "Request was throttled. Expected available in 812 seconds." };
    expect(refusalWords(refusal(throttled, 429, "throttled"))).toMatch(/Wait 14 minutes/);
  });

  it.each([
    ["This field is required.", "Username is missing."],
    ["This field may not be blank.", "Username is missing."],
    ["Ensure this field has at least 8 characters.", "Username must have at least 8 characters."],
    ["Ensure this field has no more than 150 characters.", "Username must have at most 150 characters."],
    ["Ensure this value is less than or equal to 3.", "Username must be at most 3."],
    ["A valid integer is required.", "Username must be a whole number."],
    ["Expected a date such as 1990-12-31.", "Username must be a date such as 1990-12-31."],
    ["Must be true or false.", "Username must be true or false."],
    ["This password is too common.", "This password is too common."],
  ])("%s", (message, sentence) => {
    expect(sentenceOf(message, "username", labelOf)).toBe(sentence);
  });

  it("reads like a message of the page", () => {
    const problem = new FormProblem({ expiration_time: "Until must be later than From." });
    expect([...fieldSentences(problem)]).toEqual([["expiration_time", problem.message]]);
  });
});
