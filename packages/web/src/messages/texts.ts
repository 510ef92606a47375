import IntlMessageFormat from 'intl-messageformat'
import type en from './en.json'

export type TextKey = keyof typeof en

export type TextValues = Record<string, string | number | Date>

export const languages = {
  en: { name: 'English', load: () => import('./en.json') },
  de: { name: 'Deutsch', load: () => import('./de.json') },
} as const

export type Language = keyof typeof languages

type Texts = Record<TextKey, unknown>

let texts: Texts
let currentLanguage: Language = 'en'
let currentLocale = 'en'
const formats = new Map<TextKey, IntlMessageFormat>()

/** The first language of `preferred` (in order of preference) that the interface supports; English otherwise. */
export function knownLanguage(preferred: readonly string[]): Language {
  for (const tag of preferred) {
    const language = tag.toLowerCase().split('-', 1)[0]
    if (language !== undefined && language in languages) return language as Language
  }
  return 'en'
}

/** The locale of a language: the first entry of `preferred` in this language, otherwise the language itself. */
export const localeOf = (language: Language, preferred: readonly string[]): string =>
  preferred.find((tag) => tag.toLowerCase().split('-', 1)[0] === language) ?? language

export async function setLanguage(language: Language): Promise<void> {
  const loaded: { default: Texts } = await languages[language].load()
  texts = loaded.default
  currentLanguage = language
  currentLocale = localeOf(language, navigator.languages)
  formats.clear()
}

export const language = (): Language => currentLanguage

/** The current language, with its region if the browser names one, for dates and numbers. */
export const locale = (): string => currentLocale

export function text(key: TextKey, values?: TextValues): string {
  const found = texts[key]
  if (typeof found === 'string') return found
  let format = formats.get(key)
  if (!format) {
    format = new IntlMessageFormat(found as ConstructorParameters<typeof IntlMessageFormat>[0], currentLocale)
    formats.set(key, format)
  }
  return String(format.format(values))
}
