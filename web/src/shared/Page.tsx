import type { ReactNode } from "react";
import { useEffect } from "react";

const PRODUCT = "Super Agent";

/** Sets the window's title while the caller is shown. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title ? `${title} · ${PRODUCT}` : PRODUCT;
  }, [title]);
}

interface PageProps {
  title: string;
  /** One line under the heading: what this page is for. */
  intro?: ReactNode;
  /** Buttons beside the heading. */
  actions?: ReactNode;
  children: ReactNode;
}

/** The frame of every page but the chat: heading, what one can do, content of readable width. */
export function Page({ title, intro, actions, children }: PageProps) {
  useTitle(title);
  return (
    <div className="page">
      <header className="page-header">
        <div>
          <h1>{title}</h1>
          {intro && <p>{intro}</p>}
        </div>
        {actions && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
