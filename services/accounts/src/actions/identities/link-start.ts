/** Payload of the token in the URL with which a user starts to link an identity. */
export type LinkStart = { providerId: string; redirectPath: string }
