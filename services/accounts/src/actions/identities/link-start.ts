/** Payload of the token in a start URL. */
export type LinkStart = { providerId: string; redirectPath: string }
