/** What the token of a start URL stands for. */
export type LinkStart = { providerId: string; redirectPath: string }
