const maxLength = 32
const minLength = 2

/** Empty if fewer than two allowed characters remain. The suggestion may be reserved or taken. */
export function loginHintFrom(name: string): string {
  const [user = ''] = name.split('@', 1)
  const hint = user
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9._-]/g, '')
    .replaceAll(/\.{2,}/g, '.')
    .replace(/^[._-]+/, '')
    .slice(0, maxLength)
    .replace(/\.+$/, '')
  return hint.length < minLength ? '' : hint
}
