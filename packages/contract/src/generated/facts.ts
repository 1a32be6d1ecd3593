// Generated from the contract by `pnpm generate`. Do not edit.

/** `info.version` of the contract. */
export const version = "1.0.0";

/** SHA-256 of the bundled document (`openapi.json`), in hexadecimal. */
export const hash = "3e6cc65aede35bd0781b82e2a5f4b8185593ab8dd55756d02abebcf2e814d0bf";
