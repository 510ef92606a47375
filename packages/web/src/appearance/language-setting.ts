import { knownLanguage, type Language } from '../messages/texts.ts'

const storageKey = 'parley.language'

/** Returns the language chosen on this device, otherwise the preferred one of its browser. */
export function loadLanguage(): Language {
  const stored = localStorage.getItem(storageKey)
  return knownLanguage(stored === null ? navigator.languages : [stored, ...navigator.languages])
}

/** Stores the chosen language on this device. */
export const saveLanguage = (language: Language): void => localStorage.setItem(storageKey, language)
