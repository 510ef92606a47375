import { expect, test } from '@jest/globals'
import { toMarkdown } from './mrkdwn.ts'

const names = {
  login: (id: string) => ({ U1: 'ada' })[id],
  room: (id: string) => ({ C1: 'tea-2' })[id],
}

test.each([
  ['plain text is unchanged', 'Tea at 4?', 'Tea at 4?'],
  ['a user becomes a mention', 'Hi <@U1>!', 'Hi @ada!'],
  ['a user with a label becomes a mention', '<@U1|lovelace>', '@ada'],
  ['an unknown user is shown with the label or id', '<@U9|eve> <@U8>', '@eve @U8'],
  ['a channel gets its name on this server', '<#C1|tea>', '#tea-2'],
  ['an unknown channel is shown with the label or id', '<#C9|coffee> <#C8>', '#coffee #C8'],
  [
    'here, channel and everyone become mentions',
    '<!here> <!channel> <!everyone> <!here|here>',
    '@here @all @all @here',
  ],
  ['a user group is shown with its label', '<!subteam^S1|@crew>', '@crew'],
  ['a date is shown with its fallback text', '<!date^1392734382^{date}|Feb 18>', 'Feb 18'],
  ['a URL without a label stays a URL', '<https://example.org/?a=1&amp;b=2>', 'https://example.org/?a=1&b=2'],
  [
    'a URL with a label becomes a link',
    '<https://example.org/a(b)|the [page]>',
    String.raw`[the \[page\]](https://example.org/a%28b%29)`,
  ],
  ['an e-mail address becomes text', '<mailto:a@example.org|a@example.org>', 'a@example.org'],
  ['escaped characters are unescaped', 'a &amp;&amp; b &lt;c&gt;', String.raw`a && b \<c>`],
  ['doubly escaped characters are unescaped once', '&amp;lt;', '&lt;'],
  ['bold text', 'so *very* good', 'so **very** good'],
  ['a bold link stays bold', '*<https://example.org|x>*', '**[x](https://example.org)**'],
  ['asterisks inside words are not bold', '2*3*4', '2*3*4'],
  ['italics', '_quite_', '_quite_'],
  ['strike', 'is ~wrong~ right', 'is ~~wrong~~ right'],
  ['code is not converted', '`a *b* &lt;c&gt;`', '`a *b* <c>`'],
  ['URLs in code are not links', '`<https://example.org>`', '`https://example.org`'],
  ['code in the label of a link', '<https://example.org|`x`>', '[`x`](https://example.org)'],
  ['a code block in code', '`a ```b``` c`', '`a ```\nb\n``` c`'],
  ['code blocks', '```\nlet a = *b* &amp;&amp; c\n```', '```\nlet a = *b* && c\n```'],
  ['a code block on one line gets lines of its own', '```x```', '```\nx\n```'],
  ['quotes', '&gt; said\nyes', '> said\nyes'],
  ['a leading # is escaped', '# 1 priority', String.raw`\# 1 priority`],
  ['link syntax of Markdown is escaped', '[a](b) [[c]](d)', String.raw`[a]\(b) [[c]]\(d)`],
  ['a script URL does not become a link', '<javascript:alert(1)|free tea>', 'free tea (javascript:alert(1))'],
  ['a backslash is escaped', String.raw`C:\*.txt`, String.raw`C:\\*.txt`],
])('%s', (_, text, markdown) => expect(toMarkdown(text, names)).toBe(markdown))

test('a million brackets stay unchanged; quadratic time would exceed the time limit', () => {
  const text = '['.repeat(1_000_000)
  expect(toMarkdown(text, names)).toBe(text)
})
