/** Payload of the token in the URL that starts a link. */
export type LinkStart = { providerId: string; redirectPath: string }
