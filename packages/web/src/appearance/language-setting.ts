import { knownLanguage, type Language, setLanguage } from '../messages/texts.ts'
import { Cell } from '../state/cell.ts'

const storageKey = 'parley.language'

/** The language in which the page is shown; undefined until the first one is loaded. */
export const shownLanguage = new Cell<Language | undefined>(undefined)

/** Returns the language chosen on this device, otherwise the one that its browser prefers. */
export function loadLanguage(): Language {
  const stored = localStorage.getItem(storageKey)
  return knownLanguage(stored === null ? navigator.languages : [stored, ...navigator.languages])
}

/** Stores the chosen language on this device. */
export const saveLanguage = (language: Language): void => localStorage.setItem(storageKey, language)

/** Loads the texts of a language and shows the page in it. */
export async function showLanguage(language: Language): Promise<void> {
  await setLanguage(language)
  document.documentElement.lang = language
  shownLanguage.set(language)
}
