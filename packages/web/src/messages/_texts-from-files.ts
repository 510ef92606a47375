import { readFileSync } from 'node:fs'
import { type Language, languages, setLanguage } from './texts.ts'

/** Sets the current language. Reads its texts from the file, because only the built page can import JSON. */
export async function setLanguageFromFile(language: Language): Promise<void> {
  const texts = JSON.parse(readFileSync(new URL(`${language}.json`, import.meta.url), 'utf8')) as object
  Object.assign(languages[language], { load: async () => ({ default: texts }) })
  Object.defineProperty(navigator, 'languages', { value: [], configurable: true })
  await setLanguage(language)
}
