const maxCharacters = 500

/**
 * Makes an imported description storable: cuts it to 500 characters, and removes NUL, which PostgreSQL does not allow
 * in texts.
 */
export const toStorableDescription = ({ description }: { description: string }): string =>
  [...description.replaceAll('\0', '')].slice(0, maxCharacters).join('')
