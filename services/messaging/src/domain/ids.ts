/** Whether the text may be an id at all. What is not is unknown, without asking the database. */
export const looksLikeId = (text: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(text)
