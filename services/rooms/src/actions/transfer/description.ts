const maxCharacters = 500

/** Makes an imported description storable: PostgreSQL allows no NUL in texts. */
export const descriptionOf = ({ description }: { description: string }): string =>
  [...description.replaceAll('\0', '')].slice(0, maxCharacters).join('')
