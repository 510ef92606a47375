/** Told to clients as the version of the server. */
export const version = '0.1.0'
