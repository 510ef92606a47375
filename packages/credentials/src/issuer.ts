/** What names this server in answers of the authorization-code flow (`iss`, RFC 9207), given where people reach it. */
export const issuerOf = (publicUrl: string): string => publicUrl.replace(/\/+$/, '')
