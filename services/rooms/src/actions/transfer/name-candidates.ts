const highestNumber = 20
const maxCharacters = 30

/**
 * Valid names in order of preference: with invalid characters replaced, then with a number from 2 to 20, then with the
 * end of the id.
 */
export function nameCandidates(name: string, roomId: string): string[] {
  const base =
    name
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') || 'room'
  const suffixes = [
    '',
    ...Array.from({ length: highestNumber - 1 }, (_, index) => `-${index + 2}`),
    `-${roomId.slice(-8)}`,
  ]
  return suffixes.map((suffix) => base.slice(0, maxCharacters - suffix.length) + suffix)
}
