/** Of Scalar one file is served as it stands, in which all its dependencies are contained: they need not be installed too. */
export const hooks = {
  readPackage: (manifest) => (manifest.name === "@scalar/api-reference" ? { ...manifest, dependencies: {} } : manifest),
};
