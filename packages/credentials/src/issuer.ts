/** The issuer name of this server in the authorization-code flow (`iss`, RFC 9207), derived from its public address. */
export const issuerOf = (publicUrl: string): string => publicUrl.replace(/\/+$/, '')
