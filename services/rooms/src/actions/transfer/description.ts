const mostCharacters = 500

/** What can be kept of a description from elsewhere: PostgreSQL has no NUL in texts. */
export const descriptionOf = ({ description }: { description: string }): string =>
  [...description.replaceAll('\0', '')].slice(0, mostCharacters).join('')
