/**
 * The docs site: `npm run docs` builds it into dist-docs/. A page has the same path as its Markdown file, so a relative link works
 * on the site and on GitHub.
 */
import { copyFileSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { defineConfig, type MarkdownOptions } from 'vitepress'
import { headingAnchor } from '../../docs/run-page.ts'
import { renderSampleReports, SAMPLES_FOLDER } from '../sample-reports.ts'
import { makeSidebar } from '../sidebar.ts'

const root = join(import.meta.dirname, '../../..')
const sidebar = makeSidebar(join(root, 'docs'))
const linkedFiles = new Set<string>()

const STYLES = `
.report { width: 100%; height: 75vh; border: 1px solid var(--vp-c-divider) }
/* An indented code block. */
.vp-doc pre { overflow-x: auto }
`

export default defineConfig({
  srcDir: '../..',
  srcExclude: ['runs', 'dist-docs'],
  outDir: '../../dist-docs',
  cacheDir: '../../.cache/docs-site',
  // By default, VitePress runs every file of the repository that is called config.ts.
  additionalConfig: {},
  rewrites: (page) => page.replace(/(^|\/)README\.md$/, '$1index.md'),
  title: 'Breakwater',
  description: 'Load testing and simulation for an on-chain exchange',
  head: [['style', {}, STYLES]],
  markdown: {
    languageAlias: { haproxy: 'txt' },
    // The default themes have less contrast than WCAG AA requires.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: headingAnchor },
    config: (markdown) => linkRepository(markdown, { root, linkedFiles, reports: SAMPLES_FOLDER }),
  },
  // The search index is one large file, which is loaded on demand.
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  themeConfig: {
    sidebar,
    nav: sidebar.flatMap(({ text, items: [first] = [] }) =>
      first === undefined ? [] : [{ text, link: first.link, activeMatch: `^${dirname(first.link)}/` }],
    ),
    outline: [2, 3],
    search: { provider: 'local' },
  },
  async buildEnd({ outDir }) {
    for (const file of linkedFiles) {
      mkdirSync(dirname(join(outDir, file)), { recursive: true })
      copyFileSync(join(root, file), join(outDir, file))
    }
    await renderSampleReports(join(outDir, SAMPLES_FOLDER))
  },
})

type MarkdownIt = Parameters<NonNullable<MarkdownOptions['config']>>[0]
type Token = ReturnType<MarkdownIt['parse']>[number]

type Site = {
  /** The repository, which is also the folder of all pages. */
  root: string
  /** Receives the files that pages link to, relative to `root`. */
  linkedFiles: Set<string>
  /** Folder of the reports that pages show. */
  reports: string
}

/** Makes the site follow what GitHub does with links, and shows reports, where Markdown only has a comment. */
function linkRepository(markdown: MarkdownIt, site: Site): void {
  markdown.core.ruler.push('repository', ({ tokens, env }) => {
    for (const token of tokens.flatMap((block) => [block, ...(block.children ?? [])])) {
      if (token.type === 'link_open') changeLink(token, env.path, site)
      if (token.type.startsWith('html_')) token.content = changeHtml(token.content, env.path, site)
    }
  })
}

/** A README is the index page of its folder. Files that are not pages are copied to the site. */
function changeLink(link: Token, page: string, { root, linkedFiles }: Site): void {
  const [path = '', ...anchor] = (link.attrGet('href') ?? '').split(/(?=#)/)
  if (/^([a-z]+:|#|$)/.test(path)) return
  const linked = join(dirname(page), path)
  const file = statSync(linked, { throwIfNoEntry: false })?.isDirectory() ? join(linked, 'README.md') : linked
  if (!existsSync(file)) {
    throw new Error(`${relative(root, page)} links to ${path}, but the repository has no such page or file`)
  }
  if (file.endsWith('.md')) {
    const index = relative(dirname(page), file).replace(/(^|\/)README\.md$/, '$1index.md')
    link.attrSet('href', index + anchor.join(''))
  } else {
    linkedFiles.add(relative(root, file))
    // The router of the site only knows pages.
    link.attrSet('target', '_self')
  }
}

/** Vue resolves only image paths that start with a dot. `<!-- report: PATH -->` is nothing on GitHub, and a report on the site. */
function changeHtml(content: string, page: string, { root, reports }: Site): string {
  return content
    .replaceAll(/(\ssrc(?:set)?=")(?![a-z]+:|[./])/g, '$1./')
    .replaceAll(/<!-- report: (\S+) -->/g, (_, path: string) => {
      const href = relative(dirname(page), join(root, reports, path))
      return `<p><a href="${href}" target="_blank">Open in a new tab</a></p><iframe class="report" src="${href}" title="Report ${path}" loading="lazy"></iframe>`
    })
}
