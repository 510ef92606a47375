const maxLength = 32
const minLength = 2

/** Suggests a login for a user name at a provider; empty if it contains no allowed characters. */
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
