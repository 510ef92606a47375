import { mount } from 'svelte'
import App from './App.svelte'
import { applyAppearance, keptAppearance } from './appearance/appearance.ts'
import { keptLanguage } from './appearance/kept-language.ts'
import { speak } from './messages/texts.ts'
import { mayBeSignedIn, server } from './session/server.ts'
import { entryPageOf } from './state/entry.ts'
import './styles/base.css'
import { requestFirst } from './sync/first-answers.ts'

applyAppearance(keptAppearance())
const language = keptLanguage()
// Answers come while the texts are loaded. A browser that is watched notes where a request was sent: while this file is
// evaluated, that would make it parse all of the script once more.
const isChat = entryPageOf(location).at === 'chat'
const firstAnswers = isChat && mayBeSignedIn() ? Promise.resolve().then(() => requestFirst(server)) : undefined
firstAnswers?.catch(() => undefined)
await speak(language)
document.documentElement.lang = language
mount(App, { target: document.body, props: { firstAnswers } })
