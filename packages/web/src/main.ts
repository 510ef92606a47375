import { mount } from 'svelte'
import App from './App.svelte'
import { applyAppearance, loadAppearance } from './appearance/appearance.ts'
import { loadLanguage } from './appearance/language-setting.ts'
import { setLanguage } from './messages/texts.ts'
import { mayBeSignedIn, server } from './session/server.ts'
import { entryPageOf } from './state/entry.ts'
import { keepFocus } from './state/keep-focus.ts'
import './styles/base.css'
import { requestFirst } from './sync/first-responses.ts'

applyAppearance(loadAppearance())
const language = loadLanguage()
// The first responses arrive while the texts are loaded. The requests are sent from a microtask: with the developer tools
// attached, a browser records the stack of each request, and during module evaluation that makes it parse the script again.
const isChat = entryPageOf(location).at === 'chat'
const firstResponses = isChat && mayBeSignedIn() ? Promise.resolve().then(() => requestFirst(server)) : undefined
firstResponses?.catch(() => undefined)
await setLanguage(language)
document.documentElement.lang = language
keepFocus()
mount(App, { target: document.body, props: { firstResponses } })
