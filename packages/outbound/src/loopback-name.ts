/** Whether a name means the local machine; such names are not resolved by name servers (RFC 6761). */
export const isLoopbackName = (name: string): boolean => /(^|\.)localhost\.?$/i.test(name)
