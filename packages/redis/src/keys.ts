/** Braces keep the keys of one limit together in a cluster. */
export const rateLimitPrefix = (limit: string): string => `limit:{${limit}}`
