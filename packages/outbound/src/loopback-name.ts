/** Names that mean this very machine and are asked of no server (RFC 6761). */
export const isLoopbackName = (name: string): boolean => /(^|\.)localhost\.?$/i.test(name)
