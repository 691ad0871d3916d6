/**
 * Returns the entries of a lock file that some of its packages need at run time, with keys as if these packages were installed in one
 * folder.
 * @param packages `packages` of a lock file of version 3
 * @param roots keys of the packages, such as "" and "server"
 * @throws Error if one place needs two versions of a package, or if the lock file does not contain a package
 */
export function lockedDependencies(packages, roots) {
  const needed = {};

  const add = (key, { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }) => {
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const found = locate(key, name);
      if (found !== undefined) take(found);
      else if (!optionalDependencies?.[name] && !peerDependenciesMeta?.[name]?.optional) {
        throw new Error(`The lock file has no ${name}, which ${key} needs.`);
      }
    }
  };

  const take = (key) => {
    const { dev: _dev, devOptional, peer: _peer, ...entry } = packages[key];
    const root = roots.find((one) => one !== "" && key.startsWith(`${one}/`));
    const own = root === undefined ? key : key.slice(root.length + 1);
    if (needed[own] !== undefined) {
      if (needed[own].version !== entry.version) throw new Error(`${own} is needed in two versions.`);
      return;
    }
    needed[own] = devOptional ? { ...entry, optional: true } : entry;
    add(key, entry);
  };

  /** Returns the key of the package that Node.js finds when the package `from` imports `name`. */
  const locate = (from, name) => {
    const folders = from.split("/node_modules/");
    for (let depth = folders.length; depth >= 0; depth--) {
      const folder = folders.slice(0, depth).join("/node_modules/");
      const key = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
      if (packages[key] !== undefined) return key;
    }
    return undefined;
  };

  // Packages of the repository are not dependencies. Their entries are links.
  for (const root of roots) add(root, packages[root]);
  return Object.fromEntries(Object.entries(needed).sort(([a], [b]) => (a < b ? -1 : 1)));
}
