/** The version of the server, the same in every deployable: what clients are told. */
export const serverVersion = '0.1.0'
