import type { Command } from "commander";
import { list, verb } from "./verb.js";

/** Adds the commands for devices and their ownerships. */
export function deviceVerbs(root: Command): void {
  const device = root.command("device").description("devices");
  list(device, {
    signature: "device list",
    about: "list devices with their owners",
    example: "--owner ann",
  })
    .option("--owner <username>", "only devices that this manager owns now")
    .option("--retired", "only retired devices")
    .option("--search <terms>", "text in the names, the serial number or the model");
  verb(device, {
    signature: "device add",
    about: "add a device",
    example: "--serial-number A1B2 --device-name tracker-7 --device-type T1",
  })
    .requiredOption("--serial-number <serial>", "serial number, as in the device's recordings")
    .requiredOption("--device-name <name>", "device identifier")
    .requiredOption("--device-type <type>", "model name");
  verb(device, {
    signature: "device import <file>",
    about: "add devices from a CSV file: serial_number,device_name,device_type",
    example: "devices.csv",
  });
  verb(device, {
    signature: "device rename <serial-number>",
    about: "change the names of a device",
    example: "A1B2 --device-name tracker-8",
  })
    .option("--device-name <name>", "device identifier, which managers use to take the device")
    .option("--custom-name <name>", 'name that the owner has chosen; "" for none');
  verb(device, {
    signature: "device retire <serial-number>",
    about: "end the ownership of a device, and prevent managers from taking it; its samples are kept",
    example: "A1B2 --yes",
    question: (serial) => `Retire the device ${serial} and end its ownership?`,
  }).option("--undo", "let managers take a retired device again; its ownership is not restored");
  verb(device, {
    signature: "device report-start <serial-number>",
    about: "record that a device has started",
    example: "A1B2 --firmware-version 2.1",
  })
    .option("--config-version <n>", "Bluetooth configuration that the device received (default: the newest)")
    .option("--firmware-version <version>", "firmware version of the device");

  const ownership = root.command("ownership").description("device ownerships");
  verb(ownership, {
    signature: "ownership backdate <serial-number>",
    about: "move the start of an ownership back into a period in which the device had no owner",
    example: "A1B2 --start 2024-01-01T00:00:00Z",
  }).requiredOption("--start <date-time>", "new start of the ownership");
}

/** Adds the commands for samples. */
export function sampleVerbs(root: Command): void {
  const samples = root.command("samples").description("samples of devices");
  verb(samples, {
    signature: "samples delete <serial-number>",
    about:
      "delete the samples of a device in an interval; computed data are updated, and pages of raw data within two minutes",
    example: "A1B2 --start 2024-05-04T09:00:00Z --stop 2024-05-04T11:00:00Z --yes",
    question: (serial) => `Delete the samples of the device ${serial} in this interval?`,
  })
    .requiredOption("--start <date-time>", "start of the interval (inclusive)")
    .requiredOption("--stop <date-time>", "end of the interval (exclusive)");
  verb(samples, {
    signature: "samples distribute",
    about:
      "move all samples to other PostgreSQL servers while the service runs; after an interruption, run it again",
    example: "--servers servers.txt --dry-run",
  })
    .option("--servers <file>", "file with one server URL per line")
    .option(
      "--citus",
      "distribute the samples over the workers of Citus instead; writes of samples wait meanwhile",
    )
    .option("--dry-run", "print the plan without changing anything");
  verb(samples, {
    signature: "samples gather",
    about: "move all samples back into the database of the service while it runs",
  }).option("--dry-run", "print the plan without changing anything");
  verb(samples, {
    signature: "samples cancel-move",
    about: "cancel an interrupted move; the samples stay in place",
  });
  verb(samples, {
    signature: "samples servers",
    about: "list the servers with samples, whether they are reachable, and unfinished moves",
  });
}
