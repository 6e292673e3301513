import type { ReactNode } from "react";

interface EmptyProps {
  icon: ReactNode;
  title: string;
  text: ReactNode;
  /** `h1` where this is the whole page. */
  heading?: "h1" | "h2";
  children?: ReactNode;
}

/** Nothing is here yet: says so and what to do first. */
export function Empty({ icon, title, text, heading: Heading = "h2", children }: EmptyProps) {
  return (
    <div className="empty">
      <div className="empty-icon" aria-hidden="true">
        {icon}
      </div>
      <Heading>{title}</Heading>
      <p>{text}</p>
      {children}
    </div>
  );
}
