export const hooks = {
  readPackage: (manifest) => {
    // The reference page serves one file of Scalar, which contains its dependencies: they need not be installed, too.
    if (manifest.name === "@scalar/api-reference") return { ...manifest, dependencies: {} };
    // Node's packages name their platform without a list, which pnpm leaves out of the lockfile: it would install all.
    if (/^node-(bin-)?(darwin|linux|win)-/.test(manifest.name)) {
      const platform = { os: [manifest.os].flat(), cpu: [manifest.cpu].flat() };
      // With musl, the Node of the machine is used.
      return { ...manifest, ...platform, ...(manifest.name.includes("linux") && { libc: ["glibc"] }) };
    }
    return manifest;
  },
};
