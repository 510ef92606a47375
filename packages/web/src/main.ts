import { mount } from 'svelte'
import App from './App.svelte'
import { applyAppearance, keptAppearance } from './appearance/appearance.ts'
import { keptLanguage } from './appearance/kept-language.ts'
import { speak } from './messages/texts.ts'
import './styles/base.css'

applyAppearance(keptAppearance())
const language = keptLanguage()
await speak(language)
document.documentElement.lang = language
mount(App, { target: document.body })
