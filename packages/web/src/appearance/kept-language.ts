import { knownLanguage, type Language } from '../messages/texts.ts'

const storageKey = 'parley.language'

/** The language chosen on this device, else the one its browser asks for. */
export function keptLanguage(): Language {
  const kept = localStorage.getItem(storageKey)
  return knownLanguage(kept === null ? navigator.languages : [kept, ...navigator.languages])
}

/** Keeps the language that was chosen, on this device. */
export const keepLanguage = (language: Language): void => localStorage.setItem(storageKey, language)
