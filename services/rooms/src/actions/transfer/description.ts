const maxCharacters = 500

/** At most 500 characters, without NUL, which PostgreSQL cannot store. */
export const toStorableDescription = ({ description }: { description: string }): string =>
  [...description.replaceAll('\0', '')].slice(0, maxCharacters).join('')
