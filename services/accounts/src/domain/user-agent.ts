const maxCharacters = 200

export const readableUserAgent = (header: string): string => header.replace(/[^\x20-\x7e]/g, '').slice(0, maxCharacters)
