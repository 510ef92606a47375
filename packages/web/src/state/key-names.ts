import { text } from '../messages/texts.ts'

const isApple = /\b(?:Mac OS X|iPhone|iPad)\b/.test(navigator.userAgent)
const onApple: Record<string, string> = { Ctrl: '⌘', Alt: '⌥', Shift: '⇧' }

/** Key names as printed on the keyboard of this device, in the language of the interface. */
export const keyNames = (keys: string): string =>
  isApple
    ? keys.replaceAll(/\b(?:Ctrl|Alt|Shift)\b/g, (name) => onApple[name] ?? name)
    : keys.replace('Ctrl', text('key.Ctrl')).replace('Shift', text('key.Shift'))
