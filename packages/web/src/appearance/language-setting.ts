import { knownLanguage, type Language, setLanguage } from '../messages/texts.ts'
import { Cell } from '../state/cell.ts'

const storageKey = 'parley.language'

export const shownLanguage = new Cell<Language | undefined>(undefined)

export function loadLanguage(): Language {
  const stored = localStorage.getItem(storageKey)
  return knownLanguage(stored === null ? navigator.languages : [stored, ...navigator.languages])
}

export const saveLanguage = (language: Language): void => localStorage.setItem(storageKey, language)

export async function showLanguage(language: Language): Promise<void> {
  await setLanguage(language)
  document.documentElement.lang = language
  shownLanguage.set(language)
}
