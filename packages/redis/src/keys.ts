/** Start of the keys under which a rate limit counts. Braces keep one limit's keys together in a cluster. */
export const rateLimitPrefix = (limit: string): string => `limit:{${limit}}`
