export const hooks = {
  readPackage: (manifest) => {
    // Of Scalar one file is served as it stands, in which all its dependencies are contained: they need not be installed too.
    if (manifest.name === "@scalar/api-reference") return { ...manifest, dependencies: {} };
    // Node's packages name their platform without a list, which pnpm leaves out of the lockfile: then all would be installed.
    if (/^node-(bin-)?(darwin|linux|win)-/.test(manifest.name)) {
      const platform = { os: [manifest.os].flat(), cpu: [manifest.cpu].flat() };
      // Its Linux has glibc. With musl, the Node of the machine is used.
      return { ...manifest, ...platform, ...(manifest.name.includes("linux") && { libc: ["glibc"] }) };
    }
    return manifest;
  },
};
