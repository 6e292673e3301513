import { cleanup, configure, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, it } from "vitest";
import { setLanguage } from "@/shared/language";
import { PieceList } from "./PieceList";
import type { Piece } from "./pieces";

// Nothing here is hidden, and to find that out of every element takes seconds.
configure({ defaultHidden: true });

const PIECES: Piece[] = [
  {
    position: 0,
    parent_position: 0,
    heading_path: ["Guide", "Ports"],
    page: 2,
    text: "9000 and 9001.",
    repeated_characters: 0,
  },
  {
    position: 1,
    parent_position: 0,
    heading_path: ["Guide", "Ports"],
    page: 3,
    text: "9001. Ask first.",
    repeated_characters: 6,
  },
  { position: 2, parent_position: 1, heading_path: [], text: "Kept for 30 days.", repeated_characters: 0 },
];

beforeEach(() => setLanguage("en"));
afterEach(cleanup);

it("shows pieces under their passages with heading and page", () => {
  render(<PieceList pieces={PIECES} />);
  const headings = screen.getAllByRole("heading", { level: 3 });
  expect(headings.map((heading) => heading.textContent)).toEqual(["Guide › Ports", "(no heading)"]);
  const [first] = screen.getAllByRole("listitem");
  expect(first?.textContent).toContain("Passage 1 · Page 2");
  expect(within(first as HTMLElement).getAllByRole("listitem")).toHaveLength(2);
});

it("marks what a piece repeats, also for those who cannot see grey", () => {
  const { container } = render(<PieceList pieces={PIECES} />);
  expect([...container.querySelectorAll(".is-repeated")].map((each) => each.textContent)).toEqual(["Repeated: 9001. "]);
  expect(screen.getByText(/What is grey repeats/)).toBeDefined();
});

it("explains no grey where there is none", () => {
  render(<PieceList pieces={PIECES.slice(0, 1)} />);
  expect(screen.queryByText(/What is grey repeats/)).toBeNull();
});
