/** The issuer name of this server in the authorization-code flow (`iss`, RFC 9207), derived from its public URL. */
export const issuerOf = (publicUrl: string): string => publicUrl.replace(/\/+$/, '')
