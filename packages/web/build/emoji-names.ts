import type { Plugin } from 'vite'

type Emoji = { unicode: string; label: string; tags?: string[] }

/** Keeps what the client needs of a list of emoji: their names and the words to find them by. */
export const emojiNames = (): Plugin => ({
  name: 'emoji-names',
  enforce: 'pre',
  transform: {
    filter: { id: /\/emojibase-data\/\w+\/compact\.json$/ },
    handler: (list) =>
      JSON.stringify((JSON.parse(list) as Emoji[]).map(({ unicode, label, tags }) => ({ unicode, label, tags }))),
  },
})
