import { readFileSync } from 'node:fs'
import { type Language, languages, setLanguage } from './texts.ts'

/** Makes a language the current one. Its texts are read from the file, because only the build of the page imports JSON. */
export async function setLanguageFromFile(language: Language): Promise<void> {
  const texts = JSON.parse(readFileSync(new URL(`${language}.json`, import.meta.url), 'utf8')) as object
  Object.assign(languages[language], { load: async () => ({ default: texts }) })
  Object.defineProperty(navigator, 'languages', { value: [], configurable: true })
  await setLanguage(language)
}
