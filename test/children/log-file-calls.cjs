// Loaded before the command. Logs the names of files that are synchronized or renamed.
const fs = require("node:fs");
const path = require("node:path");

const names = new Map();
const log = (line) => fs.appendFileSync(process.env.FILE_CALLS, `${line}\n`);
const relative = (file) => path.relative(process.cwd(), path.resolve(file)) || ".";

const { open, fsync, linkSync, renameSync } = fs;
fs.open = (file, ...rest) => {
  const done = rest.pop();
  open(file, ...rest, (error, descriptor) => {
    if (error === null) names.set(descriptor, relative(file));
    done(error, descriptor);
  });
};
fs.fsync = (descriptor, done) => {
  fsync(descriptor, (error) => {
    log(`fsync ${names.get(descriptor)}`);
    done(error);
  });
};
fs.linkSync = (from, to) => {
  log(`link ${relative(from)} ${relative(to)}`);
  linkSync(from, to);
};
fs.renameSync = (from, to) => {
  log(`rename ${relative(from)} ${relative(to)}`);
  renameSync(from, to);
};
