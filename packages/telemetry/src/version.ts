/** The version of the server that clients see, the same in every deployable. */
export const serverVersion = '0.1.0'
