import { mount } from 'svelte'
import App from './App.svelte'
import { applyAppearance, loadAppearance } from './appearance/appearance.ts'
import { loadLanguage, showLanguage } from './appearance/language-setting.ts'
import { mayBeSignedIn, server } from './session/server.ts'
import { entryPageOf } from './state/entry.ts'
import { keepFocus } from './state/keep-focus.ts'
import './styles/base.css'
import { requestFirst } from './sync/first-responses.ts'

applyAppearance(loadAppearance())
const language = loadLanguage()
// The first responses arrive while the texts are loaded. A microtask sends the requests: if the evaluation of
// this module sent them, a browser with developer tools attached would parse the script again to record their stacks.
const isChat = entryPageOf(location).at === 'chat'
const firstResponses = isChat && mayBeSignedIn() ? Promise.resolve().then(() => requestFirst(server)) : undefined
firstResponses?.catch(() => undefined)
await showLanguage(language)
keepFocus()
mount(App, { target: document.body, props: { firstResponses } })
