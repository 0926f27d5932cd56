#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "formats/latex/blocks.h"
#include "formats/looks.h"

namespace attn {
namespace {

// Colours to be read on white.
std::string colours() {
  std::string inks, commands;
  std::string_view last;  // roles that share a command stand side by side
  for (const RoleLook& look : role_looks()) {
    if (look.command.empty() || std::exchange(last, look.command) == look.command) continue;
    inks += fmt::format("  \\definecolor{{{}}}{{HTML}}{{{}}}\n", look.command, look.paper);
    commands += fmt::format("\\providecommand\\{0}[1]{{\\attncolour{{{0}}}{{#1}}}}\n", look.command);
  }
  std::string text =
      R"tex(% Colours: to change one, define it before, as in \newcommand\attnquery[1]{\textcolor{red}{#1}}.
\ifdefined\definecolor
)tex";
  text += inks;
  text += R"tex(  \definecolor{attnfaint}{HTML}{595959}
  \definecolor{attnright}{HTML}{1B6E3C}
  \definecolor{attnwrong}{HTML}{B00020}
  \definecolor{attnunsure}{HTML}{7A5900}
  \definecolor{attnheat}{HTML}{3F7FBF}
  \providecommand\attncolour[2]{\textcolor{#1}{#2}}
\else
  \providecommand\attncolour[2]{{#2}}
\fi
)tex";
  text += commands;
  text += R"tex(% Behind an attention weight, so many per cent of the colour.
\ifdefined\cellcolor\providecommand\attnshade[1]{\cellcolor{attnheat!#1!white}}\else\providecommand\attnshade[1]{}\fi
\providecommand\attnfaint[1]{\attncolour{attnfaint}{#1}}
% Numbers that somebody handed in: right, wrong, following from what was wrong before,
% with too few digits to tell, not filled in. The sign before them is written out.
\providecommand\attnright[1]{\attncolour{attnright}{#1}}
\providecommand\attnwrong[1]{\attncolour{attnwrong}{\textbf{\boldmath #1}}}
\providecommand\attnfollows[1]{\attncolour{attnunsure}{#1}}
\providecommand\attnunsure[1]{\attncolour{attnunsure}{#1}}
\providecommand\attnblank[1]{\attnfaint{#1}}
)tex";
  return text;
}

constexpr const char* macro_lines = R"tex(% Within a long word, where a line may end.
\providecommand\attnbreak{\discretionary{}{}{}}
% A character that the font does not have, as its number.
\providecommand\attncode[1]{{\tiny\sffamily U+#1\kern.15em}}
\ifdefined\attnchar\else
  \ifdefined\Umathchar
    \protected\def\attnchar#1#2{\iffontchar\font"#1 #2\else\attncode{#1}\fi\attnbreak}
  \else
    \protected\def\attnchar#1#2{\attncode{#1}\attnbreak}
  \fi
\fi
\providecommand\attntitle[1]{\section*{\raggedright #1}}
\providecommand\attnpart[1]{\subsection*{\raggedright #1}}
\providecommand\attnsubpart[1]{\subsubsection*{\raggedright #1}}
% What should not be overlooked.
\providecommand\attnnote[1]{\par\medskip\noindent\vrule width 1.5pt\hspace{8pt}%
  \begin{minipage}{\dimexpr\linewidth-10pt\relax}\small\raggedright\textbf{Note:} #1\end{minipage}\par\medskip}
% A derivation: its formula, its title; then the lines.
\providecommand\attnderivation[2]{\par\medskip\noindent{\boldmath #1}\quad\attnfaint{#2}}
\providecommand\attnlinestitle[1]{\par\medskip\noindent\attnfaint{#1}}
\providecommand\attnlap[1]{\rlap{$\displaystyle #1$}}
\providecommand\attnlabel[1]{\attnfaint{\text{#1}}}
\providecommand\attnremark[1]{\text{\small\attnfaint{#1}}}
\providecommand\attnremarkbelow[2]{\parbox[t]{#1}{\small\raggedright\attnfaint{#2}}}
% One displayed line, without the empty one that TeX puts above it.
\providecommand\attnsingle{\par\vspace{-.7\baselineskip}}
% A matrix: its formula, its title, what its rows and columns are.
\providecommand\attncaption[3]{{\raggedright{\boldmath #1}\quad\attnfaint{#2}\ifx&#3&\else\\{\small\attnfaint{#3}}\fi\par}}
% Between such words and the table that they stand above.
\providecommand\attnclose{\vspace{-4pt}}
% A matrix or table, not broken across pages.
\providecommand\attnmatrix[1]{\par\medskip\noindent\begin{minipage}{\linewidth}\parskip=3pt \noindent #1\end{minipage}\par\medskip}
\providecommand\attncell[1]{\raggedright\let\\\tabularnewline #1\strut}
\providecommand\attntablehead[1]{\attncell{\textbf{#1}}}
\providecommand\attntablecaption[1]{{\bfseries\boldmath\raggedright #1\par}}
\providecommand\attncolumns[1]{{\small\attnfaint{#1}\par}}
\providecommand\attnplace[1]{\attncolumns{#1}}  % below a caption of several
\providecommand\attnhead[1]{#1}
\providecommand\attnnumbers[1]{{\attnsize\attnfit{#1}}}
\providecommand\attnlying[1]{\attnnumbers{#1}}  % a vector
\ifdefined\toprule
  \let\attntop\toprule \let\attnmid\midrule \let\attnbottom\bottomrule
\else
  \def\attntop{\hline} \def\attnmid{\hline} \def\attnbottom{\hline}
\fi
% What is too wide for the line is made smaller, where there is graphicx.
\ifdefined\attnfit\else
  \ifdefined\resizebox
    \def\attnfit#1{\begingroup\setbox0\hbox{#1}\leavevmode
      \ifdim\wd0>\linewidth\typeout{attn: made smaller}\resizebox{\linewidth}{!}{\box0}\else\box0\fi\endgroup}
  \else
    \def\attnfit#1{#1}
  \fi
\fi
% A figure, where there is tikz: lines between tokens, as wide and as dark as the weight;
% boxes and arrows. Its unit is a tenth of the size of letters.
\ifdefined\tikzpicture
  \providecommand\attnfigure[1]{\par\smallskip\noindent\attnfit{#1}\par\smallskip}
  \newenvironment{attnpicture}{\edef\attnflowsize{{\the\dimexpr.74em}{\the\dimexpr.85em}}\begin{tikzpicture}[x=.1em,y=.1em,every node/.style={font=\footnotesize}]}{\end{tikzpicture}}
\else
  \providecommand\attnfigure[1]{}
\fi
\providecommand\attntoken[4]{\node[anchor=base#1] at (#2,#3) {#4};}
\providecommand\attnband{19} % how high the lines are
\providecommand\attnarc[4]{\draw[draw=attnheat!#4!white,line width=3pt*#3] (#1,9+\attnband) .. controls (#1,9+.5*\attnband) and (#2,9+.5*\attnband) .. (#2,9);}
\providecommand\attnarrow[2]{\draw[draw=#1,line width=.5pt,->] #2;}
\providecommand\attnflowbox[5]{\node[draw=#1,fill=#1!7!white,line width=.5pt,rounded corners=1.5pt,inner sep=0pt,
  minimum width=#3*.1em,minimum height=#4*.1em,text width=#3*.1em-3pt,align=center] at #2
  {\expandafter\fontsize\attnflowsize\selectfont\hyphenpenalty=10000 #5};}
% A line of a tree: how deep it stands, the line.
\providecommand\attnbranch[2]{\par{\parskip=0pt\raggedright\leftskip=\dimexpr 1.2em*#1+1.2em\relax
  \noindent\kern-1.2em\ifnum#1>0 \hbox to 1.2em{\attnfaint{\rule[.6ex]{.8em}{.4pt}}\hss}\fi#2\par}}
)tex";

constexpr const char* sheet_lines =
    R"tex(% A line to write on; a number of a sheet in its box, and without one. All boxes have one size.
\providecommand\attnfield[1]{#1:~\hrulefill}
\ifdefined\attnboxwidth\else\newdimen\attnboxwidth \attnboxwidth=16mm\fi
\ifdefined\attnboxheight\else\newdimen\attnboxheight \attnboxheight=9.6mm\fi
\providecommand\attnroom[1]{\vbox to\attnboxheight{\vss\hbox to\attnboxwidth{\hss
  \begingroup\linewidth=\dimexpr\attnboxwidth-2pt\relax\attnfit{#1}\endgroup\hss}\vss}}
\providecommand\attnbox[1]{\ensuremath{\vcenter{\kern.5mm\hbox{\fboxsep=0pt\fbox{\attnroom{#1}}}\kern.5mm}}}
\providecommand\attnthere[1]{\ensuremath{\vcenter{\kern.5mm\hbox{\kern\fboxrule\attnroom{#1}\kern\fboxrule}\kern.5mm}}}
)tex";

constexpr const char* packages = R"tex(\ifdefined\Umathchar\else
  \IfFileExists{lmodern.sty}{\usepackage[T1]{fontenc}\usepackage{lmodern}}{}
\fi
\usepackage{amsmath,amssymb}
\usepackage{booktabs}
\usepackage{graphicx}
)tex";

constexpr const char* paper = R"tex(\usepackage[table]{xcolor}
\IfFileExists{tikz.sty}{\usepackage{tikz}}{}
\usepackage[a4paper,margin=18mm]{geometry}
\setlength\parindent{0pt}
\setlength\parskip{4pt plus 2pt}
\setlength\mathindent{1.5em}
\emergencystretch=3em
\AtBeginDocument{\abovedisplayskip=4pt plus 2pt \belowdisplayskip=5pt plus 3pt
  \abovedisplayshortskip=4pt plus 2pt \belowdisplayshortskip=5pt plus 3pt }
\raggedbottom
\newcommand\attntitle[1]{{\LARGE\bfseries\boldmath\raggedright #1\par}\medskip}
\newcommand\attnpart[1]{\section*{\raggedright\boldmath #1}}
\newcommand\attnsubpart[1]{\subsection*{\raggedright\boldmath #1}}
)tex";

constexpr const char* slides = R"tex(\IfFileExists{tikz.sty}{\usepackage{tikz}}{}
\usefonttheme[onlymath]{serif}
\setbeamertemplate{navigation symbols}{}
\setbeamertemplate{footline}{\hfill\usebeamerfont{footline}\insertframenumber\hspace{3mm}\vspace{1.5mm}}
\setbeamertemplate{frametitle}{\vskip1.5mm\usebeamerfont{frametitle}\insertframetitle\vphantom{Ag}\par}
\setbeamersize{text margin left=4mm,text margin right=4mm}
\setbeamercolor{structure}{fg=black}
\setbeamerfont{frametitle}{series=\bfseries,size=\large}
\setlength\mathindent{1em}
\newcommand\attntitle[1]{{\LARGE\bfseries\boldmath\raggedright #1\par}\medskip}
\newcommand\attnpart[1]{{\large\bfseries\boldmath\raggedright #1\par}\smallskip}
\newcommand\attnsubpart[1]{{\bfseries\boldmath\raggedright #1\par}\smallskip}
% Captions are smaller than what is said.
\newcommand\attncaption[3]{{\footnotesize\raggedright{\boldmath #1}\quad\attnfaint{#2}\ifx&#3&\else\\\attnfaint{#3}\fi\par}}
\newcommand\attnclose{\vspace{-8pt}}
% A slide; where it is too high in spite of all, it is made smaller.
\newsavebox\attnslidebox
\newenvironment{attnslide}
  {\begin{lrbox}{\attnslidebox}\begin{minipage}[t]{\textwidth}%
    \setlength\parskip{2pt}\raggedright\medskipamount=2pt
    \abovedisplayskip=3pt \belowdisplayskip=3pt \abovedisplayshortskip=3pt \belowdisplayshortskip=3pt }
  {\end{minipage}\end{lrbox}\vspace*{-4mm}%
   \ifdim\dimexpr\ht\attnslidebox+\dp\attnslidebox\relax>\attnslideheight
     \typeout{attn: a slide is shrunk: \the\dimexpr\ht\attnslidebox+\dp\attnslidebox}\resizebox*{!}{\attnslideheight}{\usebox\attnslidebox}%
   \else
     \usebox\attnslidebox
   \fi}
% What appears with a step of the slide.
\newcommand\attnshow[2]{\uncover<#1->{#2}}
\newcommand\attnshadefrom[2]{\only<#1->{\attnshade{#2}}}
)tex";

}  // namespace

std::string latex_macros() { return colours() + macro_lines; }

std::string latex_sheet_macros() { return sheet_lines; }

std::string latex_paper_begin(const std::string& more_macros) {
  return std::string("\\documentclass[a4paper,fleqn]{article}\n") + packages + paper + latex_macros() + more_macros +
         "\\allowdisplaybreaks\n\\begin{document}\n";
}

std::string latex_slides_begin(int letters) {
  return fmt::format("\\documentclass[{}pt,aspectratio=169,fleqn,xcolor=table]{{beamer}}\n", letters) + packages +
         slides + fmt::format("\\newcommand\\attnslideheight{{{}pt}}\n", latex_slide_height(letters)) + latex_macros() +
         "\\begin{document}\n";
}

std::string latex_numbers(const LatexNumbers& numbers) {
  return fmt::format("\\def\\attnsize{{{}\\tabcolsep={:.3f}em\\relax\\def\\arraystretch{{{}}}}}\n", numbers.command,
                     numbers.gap / 20 / numbers.wide, numbers.wide < 0.82 ? 0.93 : 1.0);
}

std::string latex_narrow() { return "\\ifdim\\linewidth<290pt \\footnotesize\\fi\n"; }

std::string latex_end() { return "\\end{document}\n"; }

}  // namespace attn
