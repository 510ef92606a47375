import type { IncomingMessage } from 'node:http'
import { parseAccepted } from '../accepted.ts'

const english = {
  invalidRequest: 'Invalid authorization request',
  untrustedRedirect: 'The redirect URL is missing, or this server does not allow it.',
  failed: 'Something went wrong',
  byLinkOnly: 'This page can only be opened by a link.',
  tooMany: 'There were too many requests. Wait a moment, then try again.',
  unavailable: 'The server cannot handle this at the moment. Try again soon.',
  unexpected: 'This could not be completed. Go back to where you came from and start again.',
  signIn: 'Go to sign-in',
}

export type PageText = keyof typeof english

const german: Record<PageText, string> = {
  invalidRequest: 'Ungültige Zugriffsanfrage',
  untrustedRedirect: 'Die Rücksprungadresse fehlt, oder dieser Server lässt sie nicht zu.',
  failed: 'Etwas ist schiefgelaufen',
  byLinkOnly: 'Diese Seite lässt sich nur über einen Link öffnen.',
  tooMany: 'Es waren zu viele Anfragen. Warte einen Moment und versuche es noch einmal.',
  unavailable: 'Der Server kann das im Moment nicht bearbeiten. Versuche es bald noch einmal.',
  unexpected: 'Das hat nicht geklappt. Geh dorthin zurück, woher du kamst, und fang noch einmal an.',
  signIn: 'Zur Anmeldung',
}

const languages = { en: english, de: german }
export type PageLanguage = keyof typeof languages

export function languageOf({ headers }: Pick<IncomingMessage, 'headers'>): PageLanguage {
  const [best] = parseAccepted(headers['accept-language'])
    .map(({ value, weight }) => ({ language: value.split('-', 1)[0], weight }))
    .filter(({ language, weight }) => (language === 'de' || language === 'en') && weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
  return best?.language === 'de' ? 'de' : 'en'
}

export const pageText = (language: PageLanguage, text: PageText): string => languages[language][text]
