import { expect, test } from '@jest/globals'
import { toMarkdown } from './mrkdwn.ts'

const names = {
  login: (id: string) => ({ U1: 'ada' })[id],
  room: (id: string) => ({ C1: 'tea-2' })[id],
}

test.each([
  ['plain text stays', 'Tea at 4?', 'Tea at 4?'],
  ['a user becomes a mention', 'Hi <@U1>!', 'Hi @ada!'],
  ['a user with a name too', '<@U1|lovelace>', '@ada'],
  ['an unknown user keeps the name', '<@U9|eve> <@U8>', '@eve @U8'],
  ['a channel by its name here', '<#C1|tea>', '#tea-2'],
  ['an unknown channel by its name there', '<#C9|coffee> <#C8>', '#coffee #C8'],
  ['here, channel and everyone', '<!here> <!channel> <!everyone> <!here|here>', '@here @all @all @here'],
  ['a user group by its name', '<!subteam^S1|@crew>', '@crew'],
  ['a date by its words', '<!date^1392734382^{date}|Feb 18>', 'Feb 18'],
  ['an address', '<https://example.org/?a=1&amp;b=2>', 'https://example.org/?a=1&b=2'],
  ['a link', '<https://example.org/a(b)|the [page]>', String.raw`[the \[page\]](https://example.org/a%28b%29)`],
  ['a mail address', '<mailto:a@example.org|a@example.org>', 'a@example.org'],
  ['escaped signs', 'a &amp;&amp; b &lt;c&gt;', String.raw`a && b \<c>`],
  ['what is escaped twice once', '&amp;lt;', '&lt;'],
  ['bold', 'so *very* good', 'so **very** good'],
  ['bold around a link', '*<https://example.org|x>*', '**[x](https://example.org)**'],
  ['no bold inside words', '2*3*4', '2*3*4'],
  ['italics', '_quite_', '_quite_'],
  ['strike', 'is ~wrong~ right', 'is ~~wrong~~ right'],
  ['code as it is', '`a *b* &lt;c&gt;`', '`a *b* <c>`'],
  ['addresses in code', '`<https://example.org>`', '`https://example.org`'],
  ['code blocks', '```\nlet a = *b* &amp;&amp; c\n```', '```\nlet a = *b* && c\n```'],
  ['code blocks of one line', '```x```', '```\nx\n```'],
  ['quotes', '&gt; said\nyes', '> said\nyes'],
  ['no headings', '# 1 priority', String.raw`\# 1 priority`],
  ['no links of Markdown', '[a](b) [[c]](d)', String.raw`[a]\(b) [[c]]\(d)`],
  ['no links to what runs', '<javascript:alert(1)|free tea>', 'free tea (javascript:alert(1))'],
  ['no escapes of Markdown', String.raw`C:\*.txt`, String.raw`C:\\*.txt`],
])('%s', (_, text, markdown) => expect(toMarkdown(text, names)).toBe(markdown))

test('a text that consists of brackets takes no longer than any other', () => {
  const text = '['.repeat(1_000_000)
  expect(toMarkdown(text, names)).toBe(text)
})
