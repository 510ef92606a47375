import { text, type TextKey } from '../messages/texts.ts'

const texts = new Map<string, TextKey>([
  ['provider_not_found', 'providerFailure.notFound'],
  ['provider_denied', 'providerFailure.denied'],
  ['external_identity_unlinked', 'providerFailure.unlinked'],
  ['account_deactivated', 'providerFailure.deactivated'],
  ['authentication_required', 'providerFailure.signInFirst'],
])

/** The reason why signing in with a provider failed, from `/login?error=`. */
export const providerFailure = (error: string | undefined): string | undefined =>
  error === undefined ? undefined : text(texts.get(error) ?? 'providerFailure.failed')
