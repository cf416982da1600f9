//! What was found, as one page of HTML that needs nothing but itself.
//!
//! * In: documents of `report`, with findings and charts; nothing here knows a kind of model.
//! * Out: a page ([`page`]) with its data, its style and its script in it. It makes no request, whatever a model contains:
//!   texts of models are data in JSON, which the script puts on the page as text, and the page's policy allows no other
//!   script and no connection.
//!
//! [`picture`] draws a system and [`sequence`] a run, as SVG without a script. [`explorer`] is a page that walks through a model, with a small server for it.
//!
//! The script is in `assets`, as it is served: `elements.js` and `run.js` are about the data, `chart.js`, `source.js` and
//! `panels.js` draw, `page.js` puts them together. A chart draws only the rows that can be seen.

mod data;
pub mod explorer;
mod page;
pub mod picture;
mod run;
pub mod sequence;

pub use page::page;
