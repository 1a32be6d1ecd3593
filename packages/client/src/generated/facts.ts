// Generated from the contract by `pnpm generate`. Do not edit.

/** `info.version` of the contract. */
export const version = "1.0.0";

/** SHA-256 of the bundled document (`openapi.json`) without its `servers`, in hexadecimal. */
export const hash = "3574ac0afdb12f65e1a921fdf49797003038b374293d0550f9cb9688c4be8528";
