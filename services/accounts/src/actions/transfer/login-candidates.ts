import { loginHintFrom } from '../../domain/login-hint.ts'

const plainCandidates = 5
const maxCharacters = 32

/** In order of preference. The last one contains a part of the id and is almost certainly free. */
export function loginCandidates(name: string, userId: string): string[] {
  const base = loginHintFrom(name) || 'user'
  const suffixes = [
    '',
    ...Array.from({ length: plainCandidates - 1 }, (_, index) => String(index + 2)),
    `-${userId.slice(-8)}`,
  ]
  return suffixes.map((suffix) => base.slice(0, maxCharacters - suffix.length).replace(/[.]+$/, '') + suffix)
}
