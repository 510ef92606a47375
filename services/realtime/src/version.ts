/** Version told to clients in the server hello. */
export const serverVersion = '0.1.0'
